/** The properties of an error that a log may contain. */
type ErrorSummary = { error: string; code?: string; frames?: string[] };

const MAX_FRAMES = 12;

/**
 * Returns the class, the code and the first stack frames of an error for a log. The message is omitted, because it may
 * contain SQL with Client data.
 */
export function summarizeError(error: unknown): ErrorSummary {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  return { error: error.name, ...code, frames: extractStackFrames(error).slice(0, MAX_FRAMES) };
}

/** Returns only the frames after the message, because a line in the message can look like a frame. */
function extractStackFrames({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message);
  if (start === -1) return [];
  const [, ...lines] = stack.slice(start + message.length).split('\n');
  const end = lines.findIndex((line) => !line.startsWith('    at '));
  return end === -1 ? lines : lines.slice(0, end);
}
