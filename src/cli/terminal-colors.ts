/** Nest's logger colours its lines in a file as well. Must be called before Nest is imported. */
export function disableColorsWithoutTerminal(): void {
  if (!process.stdout.isTTY) process.env['NO_COLOR'] ??= '1';
}
