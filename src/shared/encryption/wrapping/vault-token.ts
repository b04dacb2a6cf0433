import { readFile, stat } from 'node:fs/promises';
import type { VaultEnvironment } from '../../config/env.js';

/** The token with which Vault is called. A token in a file, which an agent may replace, is read again when it changes. */
export class VaultToken {
  private token: string | undefined;
  private version: string | undefined;

  constructor(private readonly source: VaultEnvironment['token']) {
    if (source.kind === 'value') this.token = source.value;
  }

  /** @throws Error of the file system if the file has never been read */
  async read(): Promise<string> {
    const { source } = this;
    if (source.kind === 'file') await this.readChangedFile(source.file);
    return this.token!;
  }

  /** While the file is being replaced, it may be missing or empty. The token before is used until then. */
  private async readChangedFile(file: string): Promise<void> {
    try {
      const { mtimeMs, ino, size } = await stat(file);
      const version = `${mtimeMs} ${ino} ${size}`;
      if (version === this.version) return;
      const token = (await readFile(file, 'utf8')).trim();
      if (token === '') return;
      this.token = token;
      this.version = version;
    } catch (error) {
      if (this.token === undefined) throw error;
    }
  }
}
