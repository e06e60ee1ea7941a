// Where the elements of a page stand in its text: parsers do not tell.

/** Holds an element's place; the first of two attributes of one name counts, and this one is put first. */
const MARK = 'data-place';
/** Elements whose content is text, whatever it looks like. */
const TEXT = /^(?:script|style|textarea|title|xmp|iframe|noembed|noframes)$/i;

/** The text with its place on every start tag. */
export function marked(text) {
  const start = /<!--|<([a-z][^\s/>]*)/gi;
  const pieces = [];
  let from = 0;
  for (let found = start.exec(text); found; found = start.exec(text)) {
    const after = start.lastIndex;
    if (!found[1]) {
      start.lastIndex = past(text, '-->', found.index + 2);
      continue;
    }
    pieces.push(text.slice(from, after), ` ${MARK}=${found.index}`);
    from = after;
    start.lastIndex = tagEnd(text, after);
    if (TEXT.test(found[1])) start.lastIndex = contentEnd(text, found[1], start.lastIndex);
  }
  return pieces.join('') + text.slice(from);
}

/**
 * What an element was written as.
 * @param {string} text
 * @param {Element} element of the text as `marked` gave it
 * @returns {[number, number] | undefined} from where to where: a start tag, of elements that hold text the whole
 */
export function placeOf(text, element) {
  const at = Number(element.getAttribute(MARK) ?? NaN);
  if (!(at >= 0)) return undefined;
  const end = tagEnd(text, at + 1 + element.localName.length);
  return [at, TEXT.test(element.localName) ? past(text, '>', contentEnd(text, element.localName, end)) : end];
}

const past = (text, what, from) => {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at + what.length;
};

/** A `>` in quotes is no end. */
function tagEnd(text, from) {
  const step = /=\s*(?:"[^"]*"?|'[^']*'?)|>/g;
  step.lastIndex = from;
  for (let found = step.exec(text); found; found = step.exec(text)) if (found[0] === '>') return step.lastIndex;
  return text.length;
}

function contentEnd(text, name, from) {
  const end = new RegExp(`</${name}(?=[\\s/>])`, 'gi');
  end.lastIndex = from;
  return end.exec(text)?.index ?? text.length;
}
