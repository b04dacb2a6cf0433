/** How long the URL of a file is valid. By then, the browser has started to read the file. */
const URL_LIFETIME_MS = 60_000;

/** Saves a file on this device. Its URL is valid only in this browser. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), URL_LIFETIME_MS);
}
