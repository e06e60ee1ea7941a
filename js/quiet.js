// What the browser calls and what it may lack: nothing that fails there may land in the page.

/** A callback of the browser's, whose errors are told to `failed` and not to the page. */
export const quiet = (run, failed = () => {}) => (...input) => {
  try {
    return run(...input);
  } catch (error) {
    return failed(error);
  }
};

/** Milliseconds since some moment. */
export const now = quiet(() => performance.now(), () => Date.now());
