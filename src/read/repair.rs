//! Repairs of JSON-LD that people really break; tried only after strict parsing failed.
