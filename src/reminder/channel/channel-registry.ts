import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { ReminderChannel } from './channel.js';
import { CHANNELS } from './index.js';

/** The channels by their names. */
@Injectable()
export class Channels {
  constructor(private readonly modules: ModuleRef) {}

  get(name: string): ReminderChannel | undefined {
    return this.all().find((channel) => channel.name === name);
  }

  get names(): string[] {
    return this.all().map(({ name }) => name);
  }

  /** The log is for those who have configured nothing else: it reminds nobody. */
  get configured(): string[] {
    const names = this.all()
      .filter((channel) => channel.isConfigured)
      .map(({ name }) => name);
    return names.length > 1 ? names.filter((name) => name !== 'LOG') : names;
  }

  private all(): ReminderChannel[] {
    return CHANNELS.map((channel) => this.modules.get<ReminderChannel>(channel));
  }
}
