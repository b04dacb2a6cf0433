import { rmSync } from 'node:fs';

export default function teardown(): void {
  const { embeddedTemplate } = globalThis as unknown as { embeddedTemplate: string };
  rmSync(embeddedTemplate, { recursive: true });
}
