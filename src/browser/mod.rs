//! The edge: the only module that names web-sys, js-sys and wasm-bindgen.

#[cfg(all(feature = "lean", target_arch = "wasm32"))]
mod lean;
