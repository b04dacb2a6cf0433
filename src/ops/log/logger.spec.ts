import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { standardOutput } from '../../shared/log/index.js';
import { createLogger } from './logger.js';

const lines: Record<string, unknown>[] = [];

beforeEach(() => {
  lines.length = 0;
  jest
    .spyOn(standardOutput, 'write')
    .mockImplementation((line) => void lines.push(JSON.parse(line) as object as never));
  Logger.overrideLogger(createLogger({ logLevel: 'info' }));
});

afterEach(() => {
  Logger.overrideLogger(false);
  jest.restoreAllMocks();
});

it('never writes the message of an error that a library logs', () => {
  const error = Object.assign(new Error('insert into client values (canary)'), { code: '57P01' });
  new Logger('RouterResponseController').error(error);
  expect(JSON.stringify(lines)).not.toMatch(/canary|insert/);
  const frames = expect.arrayContaining([expect.stringContaining('logger.spec')]) as unknown;
  const context = 'RouterResponseController';
  expect(lines).toMatchObject([{ context, error: 'Error', code: '57P01', frames, msg: 'unexpected error' }]);
});

it('writes the message of an error that occurs while Nest creates the application', () => {
  new Logger('ExceptionHandler').error(new Error('cannot resolve dependencies'));
  expect(lines).toMatchObject([{ msg: 'cannot resolve dependencies' }]);
});

it('leaves out what Nest reports about its start, but not its warnings', () => {
  const logger = new Logger('RouterExplorer');
  logger.log('Mapped {/, GET} route');
  logger.warn('duplicate route');
  new Logger('Request').log({ status: 200 }, 'request');
  expect(lines.map(({ msg }) => msg)).toEqual(['duplicate route', 'request']);
});
