import { Module } from '@nestjs/common';

/** The console at `/`. It consists of static files, which call the public operations with the caller's own token. */
@Module({})
export class ConsoleModule {}
