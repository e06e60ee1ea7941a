/** A value that JSON can hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A JSON object that a tool answers with; `error` if the call came to nothing. */
export interface Answer {
  error?: {
    code:
      | 'missing_parameter' | 'invalid_parameter' | 'not_found' | 'gone' | 'not_allowed' | 'destination_refused' | 'http_error'
      | 'timeout' | 'cancelled' | 'too_large' | 'confirmation_declined' | 'busy' | 'internal';
    message: string;
    /** What to do instead. */
    hint?: string;
    [more: string]: unknown;
  };
  [member: string]: unknown;
}

export interface Annotations {
  /** It changes nothing. */
  readOnlyHint?: boolean;
  /** What it answers was written by the page. */
  untrustedContentHint?: boolean;
  /** It changes something that matters; the person confirms. */
  consequentialHint?: boolean;
}

/** A tool as agents see it, and how to call it from the page. */
export interface Tool {
  /** As registered: `page_` stands before it where the site itself has a tool of that name. */
  name: string;
  title: string;
  description: string;
  inputSchema: object;
  outputSchema?: object;
  annotations: Annotations;
  source: { kind: 'read' | 'action' | 'page' | 'control' | 'custom'; confirm?: boolean; danger?: boolean };
  /** Never rejects: errors are answers. */
  execute(input?: object, context?: { signal?: AbortSignal }): Promise<Answer>;
}

/** A tool of the site's own. */
export interface CustomTool {
  /** Letters, digits, `_`, `.` and `-`, 128 at most. */
  name: string;
  description: string;
  title?: string;
  /** JSON Schema; input is checked against it before `execute` is called. */
  inputSchema?: object;
  outputSchema?: object;
  annotations?: Annotations;
  /** Ask the person first; a string is the question. */
  confirm?: boolean | string;
  /** It cannot be undone or costs something. */
  danger?: boolean;
  timeoutMs?: number;
  /** Takes a `request_id`, and answers a repeated one with the first result. */
  idempotent?: boolean;
  execute(input: any, context: { signal: AbortSignal }): unknown;
}

/** Something of the site's own that can be read. */
export interface CustomResource {
  /** As a tool's. */
  name: string;
  description: string;
  title?: string;
  mimeType?: string;
  /** Text, `{ text | blob, mimeType }` (`blob`: base64), or anything else, which is told as JSON. */
  execute(): unknown;
}

/** A prompt of the site's own. */
export interface CustomPrompt {
  /** As a tool's. */
  name: string;
  description: string;
  title?: string;
  arguments?: { name: string; description?: string; required?: boolean }[];
  /** What the person gave for the arguments; the answer is text, or messages, or a promise of them. */
  execute(input: Record<string, string>): unknown;
}

export interface Diagnostic {
  level: 'info' | 'warn' | 'error';
  /** A stable name in kebab case. */
  code: string;
  /** What happened, to what, and what to do. */
  message: string;
}

export type Format = 'json-ld' | 'microdata' | 'rdfa';

/** One thing as one piece of markup describes it. Schema.org names are bare, others full IRIs. */
export interface Item {
  type: string[];
  id?: string;
  props: Record<string, (string | number | boolean | Item | { id: string })[]>;
  format: Format;
}

/** One thing of the page, whatever describes it. A value `{ id }` points at another entity, or at something elsewhere. */
export interface Entity {
  id: string;
  types: string[];
  props: Record<string, (string | number | boolean | { id: string })[]>;
  formats: Format[];
  /** The element that describes it first: the number of its root (0 is the page) and its own in a snapshot. For the inspector. */
  element: [number, number];
}

/** A call that was made; its arguments are not kept. */
export interface Call {
  tool: string;
  /** Milliseconds since 1970. */
  at: number;
  ms: number;
  ok: boolean;
  /** Characters of the answer as JSON. */
  bytes: number;
  /** The code, if it was an error. */
  error?: string;
  [more: string]: unknown;
}

/** Names of tools. */
export interface Change {
  added: string[];
  removed: string[];
  /** Still registered; what they answer may be new. */
  kept: string[];
  changed: string[];
}

/** What `start()` takes; the tag's `data-` attributes set the same. What is left out has its default. */
export interface Options {
  /** Default: the page's. */
  document?: Document;
  /** What relative addresses are relative to. Default: the document's own base, at each look. */
  baseUrl?: string;
  /** Default: all three. */
  formats?: Format[];
  /** Tools from `potentialAction` and search forms. Default: true. */
  actions?: boolean;
  /** One budget for all tools. Default: 24. */
  maxTools?: number;
  /** Follow changes of the page and of its address. Default: true. */
  watch?: boolean;
  /** Milliseconds of quiet before a changed page is read again. Default: 250. */
  debounceMs?: number;
  /** Destinations of actions beside the page's own origin, as `host` or `host:port`. */
  allowedHosts?: string[];
  /** The tools for outline, sections and search. Default: true. */
  page?: boolean;
  /** Tools for elements marked with `data-tool`. Default: true. */
  controls?: boolean;
  /** Put before every tool name. */
  prefix?: string;
  /** Profiles of your own (see the README). */
  profiles?: object;
  /** Tools of your own. */
  custom?: CustomTool[];
  /** Where tools are registered. Default: `document.modelContext`. */
  modelContext?: { registerTool(tool: object, options?: object): unknown };
  /** Origins that may see the tools, passed on to `registerTool()`. */
  exposedTo?: string[];
  /** Makes the requests of actions. Default: `fetch`. */
  fetchImpl?: typeof fetch;
  /** Milliseconds that an action's request may take. Default: 10,000. */
  timeoutMs?: number;
  maxDepth?: number;
  /** Bytes of one answer at most. Default: 32,000. */
  maxPayloadBytes?: number;
  /** Characters of a tool's description at most. Default: 320. */
  maxDescriptionLength?: number;
  /** Tools that may be offered: their names, or what a function says of them. A function of two is asked at each call, with the input. */
  allow?: string[] | ((tool: Omit<Tool, 'execute'>, input?: unknown) => boolean | Promise<boolean>);
  /** Also push each call to `window.dataLayer`. */
  events?: 'datalayer';
  /** An origin trial token that switches native WebMCP on. */
  originTrial?: string;
  /** Show the inspector. */
  inspect?: boolean;
  /**
   * Map the page in a worker, so that its own thread only looks at it. Default: true in the script tag, unless the page
   * shows a policy that would call a worker a violation; the module maps in the page's thread.
   */
  worker?: boolean;
  /** Read open shadow roots. Default: true. */
  shadow?: boolean;
  /** Read frames of the same origin. Default: false; `srcdoc` frames are part of the page always. */
  frames?: boolean;
  /** The companion's address (development). */
  relay?: string;
  /** Where `toolmark_bg.wasm` is, for builds that fetch it. */
  wasm?: string | URL;
}

/** What runs in a document. */
export interface Handle {
  tools(): Tool[];
  /** Replaced at each mapping. */
  diagnostics(): Diagnostic[];
  /** The merged graph, for inspection. */
  entities(): Entity[];
  /** The last 100. */
  calls(): Call[];
  /**
   * This page's index in the format of the Web Agent Semantic Protocol (`wasp`, `url`, `title`, `summary`, `keywords`,
   * `chunks`), for the site to publish, and all that an agent may do here (`tools`), for review.
   */
  manifest(): object;
  /** Looks at the page now; costs next to nothing if nothing changed. */
  refresh(): Promise<Change>;
  /** Undoes everything; `start()` works again afterwards. */
  stop(): void;
}

export const version: string;
/**
 * The handle of the script tag's start; never rejects. Undefined in the module until something runs. Reading it starts a
 * tag that waits for somebody to ask for tools (README, "What a page pays").
 */
export const ready: Promise<Handle> | undefined;
/** Starts once per document; a second call warns and gives the running handle. Trouble is a diagnostic, not a rejection. */
export function start(options?: Options): Promise<Handle>;
/**
 * What the readers see, before merging and mapping. In the module build only after `start()`, else it throws an error whose
 * `code` is `not-ready`; so does the tag before `ready`, where it may not fetch toolmark.wasm.js while the page waits.
 */
export function read(root?: Document | Element, options?: Options): { items: Item[]; diagnostics: Diagnostic[] };
/** Offers a tool of the site's own; returns its undo. */
export function defineTool(tool: CustomTool, document?: Document): () => void;
/** Offers something that agents outside the browser can read; returns its undo. Defined again, its content has changed. */
export function defineResource(resource: CustomResource, document?: Document): () => void;
/** Offers a prompt for the person to choose in such an agent; returns its undo. */
export function definePrompt(prompt: CustomPrompt, document?: Document): () => void;
/** Opens the inspector of what runs in a document; `toolmark.inspect.js` is loaded from beside the script. */
export function inspect(document?: Document): Promise<void>;
/** The running handle's `manifest()`; undefined where nothing runs. */
export function manifest(document?: Document): object | undefined;

declare global {
  interface Window {
    toolmark?: { version: string; ready: Promise<Handle>; start: typeof start; read: typeof read; defineTool: typeof defineTool; defineResource: typeof defineResource; definePrompt: typeof definePrompt; manifest: typeof manifest; inspect: typeof inspect };
  }
  interface DocumentEventMap {
    'toolmark:change': CustomEvent<Change>;
    'toolmark:call': CustomEvent<Call>;
  }
}
