import { readFile, stat } from 'node:fs/promises';
import type { VaultEnvironment } from '../../config/env.js';

/**
 * The token for calls to Vault. If it is read from a file, which an agent may replace, it is read again after each
 * change.
 */
export class VaultToken {
  private token: string | undefined;
  private version: string | undefined;

  constructor(private readonly source: VaultEnvironment['token']) {
    if (source.kind === 'value') this.token = source.value;
  }

  /** @throws Error of the file system if the file could never be read */
  async read(): Promise<string> {
    const { source } = this;
    if (source.kind === 'file') await this.readChangedFile(source.file);
    return this.token!;
  }

  /**
   * The file may be missing or empty while it is being replaced. Until the new token can be read, the previous one is
   * used.
   */
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
