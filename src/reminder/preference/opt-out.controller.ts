import { Controller, Get, Header, Headers, HttpCode, Param, Post } from '@nestjs/common';
import { ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Access, PUBLIC } from '../../shared/access/index.js';
import { AddRouteConfig, Operation } from '../../shared/http/index.js';
import type { Actor } from '../../shared/persistence/index.js';
import { hashOptOutSecret, OPT_OUT_SECRET_PATTERN } from '../domain/preference/opt-out-link.entity.js';
import { renderOptOutPage } from '../text/opt-out-page.js';
import { PreferenceService } from './preference.service.js';

// Plain strings, so an invalid link is answered with 404 rather than 400.
const kindsParam = z
  .string()
  .meta({ description: 'The kinds of reminders: session, homework, or all.', example: 'session' });
const secretParam = z
  .string()
  .meta({ description: 'The secret of the link.', example: 'Zr0n6vXgC1sQ8aFh3kLw9yTb5uEj7dMp' });
const pageSchema = z
  .string()
  .meta({ description: 'A page for a browser.', example: '<!doctype html><html lang="en"><title>Reminders</title>' });

/**
 * The opt-out link in messages, which works without authentication. `GET` only shows a page with a button, because mail
 * scanners open links. `POST`, sent by that page or by the mail program itself (RFC 8058), ends the reminders.
 */
@ApiTags('Reminders')
@Controller('/reminder/opt-out')
@Access(PUBLIC)
export class OptOutController {
  constructor(private readonly service: PreferenceService) {}

  @Get(':kind/:secret')
  @AddRouteConfig({ renderErrorPage })
  @Header('content-type', 'text/html; charset=utf-8')
  @ApiProduces('text/html')
  @Operation({
    resolveLinkActor: toLinkHolder,
    summary: 'Show the opt-out page',
    success: { status: 200, description: 'A page with one button, or the result if it was used.', schema: pageSchema },
    errors: [400, 404],
  })
  async getOptOutPage(
    @Param('kind', { schema: kindsParam }) kinds: string,
    @Param('secret', { schema: secretParam }) secret: string,
    @Headers('accept-language') language: string | undefined,
  ): Promise<string> {
    return renderOptOutPage({ kinds, isOptedOut: await this.service.isOptedOut(kinds, secret) }, language);
  }

  @Post(':kind/:secret')
  @HttpCode(200)
  @AddRouteConfig({ ignoresForm: true, renderErrorPage })
  @Header('content-type', 'text/html; charset=utf-8')
  @ApiProduces('text/html')
  @Operation({
    resolveLinkActor: toLinkHolder,
    summary: 'End reminders of the kinds in a message',
    description:
      'Needs no token: the link identifies the recipient. A repeated call changes nothing. The recipient can undo it in the preference.',
    success: { status: 200, description: 'The reminders have ended.', schema: pageSchema },
    errors: [400, 404],
  })
  async confirmOptOut(
    @Param('kind', { schema: kindsParam }) kinds: string,
    @Param('secret', { schema: secretParam }) secret: string,
    @Headers('accept-language') language: string | undefined,
  ): Promise<string> {
    await this.service.optOut(kinds, secret);
    return renderOptOutPage({ kinds, isOptedOut: true }, language);
  }
}

/** Resolves the actor of the request. A malformed secret is not looked up in the database. */
function toLinkHolder({ secret = '' }: Readonly<Record<string, string>>): Actor {
  if (!OPT_OUT_SECRET_PATTERN.test(secret)) return { role: 'NOBODY' };
  return { role: 'OPT_OUT_LINK', secretHash: hashOptOutSecret(secret) };
}

/** Renders the page for a recipient whose link does not work any more, or for a failure that may be temporary. */
function renderErrorPage(status: number, { headers }: FastifyRequest): string {
  return renderOptOutPage(status === 404 ? 'EXPIRED' : 'FAILED', headers['accept-language']);
}
