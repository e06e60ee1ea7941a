// What other scripts put in the place of the browser's own: a page is read through it, and where it tells something
// else, tools are missing or wrong. Wrapping is common and mostly harmless, so that this is only told to who asks.

/** The interfaces that a page is read through. */
const READ = ['Node', 'Document', 'DocumentFragment', 'Element', 'HTMLElement', 'CharacterData', 'NodeList', 'DOMRect', 'URL', 'Response', 'Headers', 'JSON', 'MutationRecord', 'TrustedTypePolicy'];
/** What is in every browser, and what nobody would notice the lack of. */
const SURE = ['Node.nodeType', 'Node.firstChild', 'Node.nextSibling', 'Node.isConnected', 'Document.documentElement', 'Element.localName', 'Element.namespaceURI', 'Element.shadowRoot', 'CharacterData.data', 'NodeList.length', 'URL.href'];

const isForeign = (value) => typeof value === 'function' && !/\[native code\]/.test(Function.prototype.toString.call(value));

/** The names of what is not the browser's own, as in `Node.textContent`. */
export function replaced(view) {
  const found = SURE.filter((one) => {
    const [name, member] = one.split('.');
    return !(member in (view[name]?.prototype ?? {}));
  });
  for (const name of READ) {
    if (isForeign(view[name])) found.push(name);
    const members = Object.getOwnPropertyDescriptors(view[name]?.prototype ?? view[name] ?? {});
    for (const member in members) {
      const { value, get = value } = members[member];
      if (!/^(constructor|modelContext)$/.test(member) && isForeign(get)) found.push(`${name}.${member}`);
    }
  }
  return found;
}
