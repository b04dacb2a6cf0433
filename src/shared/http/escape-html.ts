/** Escapes a text for the content and the attributes of HTML elements. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)!};`);
}
