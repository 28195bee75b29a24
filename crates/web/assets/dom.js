// Elements. Text that comes from rules or people only ever becomes text: no markup is parsed here.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** An HTML element with attributes, listeners (`onclick`) and children. */
export function el(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** The same in SVG. */
export function svg(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

/** Sets an element's text, only if it changes: what is read aloud is not read again. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

let timer = 0;

/** Tells that something went wrong. */
export function toast(text) {
  const element = document.getElementById("toast");
  element.textContent = text;
  element.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => {
    element.hidden = true;
  }, 6000);
}

/** Lets the browser keep a text as the file `name`. */
export function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** The name of a button for those who do not see it: its text, or its title if the text is only a sign. */
export const label = (text, title) => (/\p{L}/u.test(text) ? null : title);

/** A number with its noun in the singular or plural. */
export const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** A name of the rules as people read it. */
export function words(name) {
  return name.replaceAll("_", " ");
}

/** A move without its outer parentheses. */
export function moveText(move) {
  return move.startsWith("(") && move.endsWith(")") ? move.slice(1, -1) : move;
}
