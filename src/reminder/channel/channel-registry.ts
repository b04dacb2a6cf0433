import { Inject, Injectable } from '@nestjs/common';
import type { ReminderChannel } from './channel.js';

/** Injection token for the channels, in the order in which they are tried. */
export const CHANNELS_TOKEN = Symbol('CHANNELS_TOKEN');

/** Finds reminder channels by their names, and lists those that are configured. */
@Injectable()
export class ChannelRegistry {
  constructor(@Inject(CHANNELS_TOKEN) private readonly channels: readonly ReminderChannel[]) {}

  get(name: string): ReminderChannel | undefined {
    return this.channels.find((channel) => channel.name === name);
  }

  get names(): string[] {
    return this.channels.map(({ name }) => name);
  }

  /** The names of the configured channels. Includes the log only if no other channel is configured. */
  get configuredNames(): string[] {
    const names = this.channels.filter((channel) => channel.isConfigured).map(({ name }) => name);
    return names.length > 1 ? names.filter((name) => name !== 'LOG') : names;
  }
}
