// What other scripts put in the place of the browser's own: a page is read through it, and where it tells something
// else, tools are missing or wrong. Wrapping is common and mostly harmless, so that this is only told to who asks.

import { quiet } from './quiet.js';

/** Functions that are named. */
const MAX_NAMED = 10;
/** The interfaces that a page is read through. */
const READ = 'Node Document DocumentFragment Element HTMLElement CharacterData NodeList DOMRect URL Response Headers JSON MutationRecord TrustedTypePolicy'.split(' ');
/** What is in every browser, and what nobody would notice the lack of. */
const SURE = 'Node.nodeType Node.firstChild Node.nextSibling Node.isConnected Document.documentElement Element.localName Element.namespaceURI Element.shadowRoot CharacterData.data NodeList.length URL.href'.split(' ');

const isForeign = (value) => typeof value === 'function' && !/\[native code\]/.test(value);

/** That as a diagnostic, or nothing. */
export const changes = quiet((view) => {
  const found = SURE.filter((one) => {
    const [name, member] = one.split('.');
    return !(member in Object(view[name]?.prototype));
  });
  for (const name of READ) {
    if (isForeign(view[name])) found.push(name);
    const members = Object.getOwnPropertyDescriptors(Object(view[name]?.prototype ?? view[name]));
    for (const member in members) {
      const { value, get = value } = members[member];
      if (!/^(constructor|modelContext)$/.test(member) && isForeign(get)) found.push(`${name}.${member}`);
    }
  }
  const message = `Other scripts changed ${found.length} functions of the browser: ${found.slice(0, MAX_NAMED).join(', ')}. If a tool is missing or wrong, look there first.`;
  return found.length ? [{ level: 'info', code: 'browser-changed', message }] : [];
}, () => []);
