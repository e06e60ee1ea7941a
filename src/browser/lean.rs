//! What the standard library would have brought: an allocator, and an end for panics.

#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// A trap, which the shim catches and reports: the words would cost more bytes than the reader of JSON-LD.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
