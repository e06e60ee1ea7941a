// Calls that act on the page or run the site's own code: may it, does the person want it, and then one at a time.
import { act, beware, look } from './act.js';
import { confirm } from './confirm.js';
import { job as customJob } from './define-tool.js';
import { createSerial, failure } from './serial.js';

const DECLINED = failure('confirmation_declined', 'The person did not agree, or did not answer.', 'Do not try again unless the person asks you to.');

const idOf = (input) => (typeof input?.request_id === 'string' && input.request_id ? input.request_id : undefined);

/**
 * @param {object} o
 * @param {Document} o.document
 * @param {(json: string) => Promise<string>} o.clean makes a result fit to be read (Rust)
 * @param {(name: string, input: unknown) => Promise<object>} o.call what a call comes to (Rust); a plan has `live`, where its places are elements
 * @param {() => Promise<unknown>} o.refresh looks at the page anew
 * @param {WeakSet<Element>} o.passwords fields that were password fields once
 * @param {(name: string) => string} o.nameOf the name under which a tool is offered
 */
export function createActor({ document, clean, call, refresh, nameOf, passwords }) {
  beware(passwords);
  const serial = createSerial();
  const answer = async (facts) => JSON.parse(await clean(JSON.stringify(facts ?? null)));
  const finder = (plan) => ([root, element]) => plan.live?.[root]?.get(element)?.deref();

  /** Asks the person, by the browser's own way where it has one; nothing if they agree. */
  const asking = (account, context) => async (question) => {
    account.confirmed = false;
    const ask = () => confirm(document, question);
    const agreed = typeof context?.requestUserInteraction === 'function' ? await context.requestUserInteraction(ask) : await ask();
    account.confirmed = agreed === true;
    return agreed === true ? undefined : DECLINED;
  };

  return {
    /** The answer of a call with this request id, if there was one. */
    repeated(name, input, account) {
      const requestId = idOf(input);
      const first = requestId && serial.known(name, requestId, JSON.stringify(input));
      if (first) account.requestId = requestId;
      return first;
    },

    /** The state of all controls. */
    state(plan) {
      const controls = plan.controls.map((control) => ({ ...control, tool: nameOf(control.tool) }));
      return answer(look({ controls }, { find: finder(plan) }));
    },

    /**
     * A call of a control.
     * @param {string} name of the tool
     * @param {unknown} input
     * @param {{signal?: AbortSignal}} [context] what the browser passes to execute()
     * @param {object} account is given `requestId` and `confirmed`
     */
    async control(name, input, context, account) {
      const requestId = idOf(input);
      if (requestId) account.requestId = requestId;
      let plan;
      let find;
      /** The call as the page is now: a plan, or why there is none. */
      const planned = async () => {
        const outcome = await call(name, input);
        plan = outcome.act;
        if (!plan) return outcome.answer;
        find = finder(plan);
        return undefined;
      };
      return serial.run({
        tool: name,
        requestId,
        input: JSON.stringify(input),
        timeout: () => plan?.timeout,
        async prepare({ signal }) {
          const refused = await planned();
          if (refused || plan.confirm === undefined) return refused;
          const { title, confirm: text, danger, values } = plan;
          const declined = await asking(account, context)({ title, text, danger, values, signal });
          if (declined) return declined;
          // The person took their time and the page may be another one.
          await refresh();
          return planned();
        },
        async act(o) {
          const again = async () => {
            await refresh();
            return (await planned()) ? undefined : plan;
          };
          return answer(await act(plan, { document, find: (at) => find(at), again, ...o }));
        },
      }, context?.signal);
    },

    /** A call of one of the site's own tools. */
    async custom(definition, input, context, account) {
      const job = customJob(definition, input, { clean, ask: asking(account, context) });
      if (job.error) return job;
      if (job.requestId) account.requestId = job.requestId;
      return serial.run(job, context?.signal);
    },

    stop: () => serial.stop(),
  };
}
