import { parseArguments } from './command-line.js';

const OPTIONS = { from: { type: 'string' }, all: { type: 'boolean' } } as const;

it.each([
  [['--fro.m'], "Unknown option '--fro.m'. See --help."],
  [['--fro'], "Unknown option '--fro'. See --help."],
  [['--from'], "Option '--from <value>' argument missing. See --help."],
  [['--from', '--all'], "Option '--from' argument is ambiguous. See --help."],
  [['--all=1.5'], "Option '--all' does not take an argument. See --help."],
])('names the option and the error: %j', (args, message) => {
  expect(() => parseArguments(args, OPTIONS)).toThrow(new Error(message));
});
