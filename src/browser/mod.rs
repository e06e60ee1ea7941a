//! The edge: the only module that names web-sys, js-sys and wasm-bindgen.
