/** A document that still loads is taken as it is after this many milliseconds. */
export const PARSE_WAIT_MS = 1000;

/** The document is parsed, or takes too long about it. */
export function parsed(document) {
  if (document.readyState !== 'loading') return undefined;
  return new Promise((resolve) => {
    document.addEventListener('DOMContentLoaded', resolve, { once: true });
    setTimeout(resolve, PARSE_WAIT_MS);
  });
}
