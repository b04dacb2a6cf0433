import { awaitAnswer, passAnswerOn } from './new-window.js';

it('passes an answer on to the window that waits for its state', async () => {
  const used: string[] = [];
  const stops = ['one', 'other'].map((state) => awaitAnswer(state, (answer) => used.push(answer.toString())));
  expect(await passAnswerOn(new URLSearchParams({ code: 'abc', state: 'one' }))).toBe(true);
  expect(used).toEqual(['code=abc&state=one']);
  for (const stop of stops) stop();
});

it('tells if no window waits for the state', async () => {
  const used: string[] = [];
  const stop = awaitAnswer('one', (answer) => used.push(answer.toString()));
  expect(await passAnswerOn(new URLSearchParams({ code: 'forged', state: 'forged' }))).toBe(false);
  stop();
  expect(await passAnswerOn(new URLSearchParams({ code: 'abc', state: 'one' }))).toBe(false);
  expect(used).toEqual([]);
});
