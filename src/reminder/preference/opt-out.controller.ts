import { Controller, Get, Header, HttpCode, Param, Post } from '@nestjs/common';
import { ApiProduces, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { PUBLIC } from '../../shared/access/index.js';
import { AddRouteConfig, Operation } from '../../shared/http/index.js';
import type { Actor } from '../../shared/persistence/index.js';
import { OPT_OUT_TOKEN } from '../domain/preference/reminder-preference.entity.js';
import { PreferenceService } from './preference.service.js';

// A link that is none is not there, whatever is wrong with it.
const kindParam = z.string().meta({ description: 'Which reminders: session or homework.', example: 'session' });
const secretParam = z
  .string()
  .meta({ description: 'The secret of the link.', example: 'Zr0n6vXgC1sQ8aFh3kLw9yTb5uEj7dMp' });
const pageSchema = z
  .string()
  .meta({ description: 'A page for a browser.', example: '<!doctype html><html lang="en"><title>Reminders</title>' });

/**
 * The link at the end of every e-mail, which works without signing in. Opening it asks, as mail scanners open
 * links too; only the POST ends the reminders, from that page or from the mail program itself (RFC 8058).
 */
@ApiTags('Reminders')
@Controller('/reminder/opt-out')
export class OptOutController {
  constructor(private readonly service: PreferenceService) {}

  @Get(':kind/:secret')
  @Header('content-type', 'text/html; charset=utf-8')
  @ApiProduces('text/html')
  @Operation({
    role: PUBLIC,
    resolveLinkActor: holderOf,
    summary: 'Ask whether to end reminders',
    success: { status: 200, description: 'A page with one button.', schema: pageSchema },
    errors: [400, 404],
  })
  async askOptOut(
    @Param('kind', { schema: kindParam }) kind: string,
    @Param('secret', { schema: secretParam }) secret: string,
  ): Promise<string> {
    await this.service.requireOptOutLink(kind, secret);
    return page('<form method="post"><button>End these reminders</button></form>');
  }

  @Post(':kind/:secret')
  @HttpCode(200)
  @AddRouteConfig({ ignoresForm: true })
  @Header('content-type', 'text/html; charset=utf-8')
  @ApiProduces('text/html')
  @Operation({
    role: PUBLIC,
    resolveLinkActor: holderOf,
    summary: 'End reminders of one kind',
    description: 'For whoever holds the link. The same call again changes nothing. The preference brings them back.',
    success: { status: 200, description: 'They have ended.', schema: pageSchema },
    errors: [400, 404],
  })
  async optOut(
    @Param('kind', { schema: kindParam }) kind: string,
    @Param('secret', { schema: secretParam }) secret: string,
  ): Promise<string> {
    await this.service.optOut(kind, secret);
    return page('<p>You will not get these reminders any more.</p>');
  }
}

/** What no secret has in it is not asked of the database. */
function holderOf({ secret = '' }: Readonly<Record<string, string>>): Actor {
  return OPT_OUT_TOKEN.test(secret) ? { role: 'OPT_OUT_LINK', optOutToken: secret } : { role: 'NOBODY' };
}

function page(content: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Reminders</title><body style="font: 18px system-ui, sans-serif; margin: 20vh auto; max-width: 30em; text-align: center">${content}</body></html>`;
}
