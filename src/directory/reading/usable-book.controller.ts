import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, Caller, type CareProviderPrincipal } from '../../shared/access/index.js';
import { Operation } from '../../shared/http/index.js';
import { idParam, type Page } from '../../shared/validation/index.js';
import { BookService } from '../book/book.service.js';
import { bookPageSchema, bookSchema, type BookView } from '../dto/record-model.js';
import { bookQuery, type BookQuery } from '../dto/record-query.js';

/** Shows Care Providers the Books of their Clinic and of the shared catalogue. */
@ApiTags('Directory')
@Controller('/gateway/profile/caregiver/book')
@Access('CARE_PROVIDER')
export class UsableBookController {
  constructor(private readonly books: BookService) {}

  @Get()
  @Operation({
    summary: "List Books, those of the caller's Clinic and those of the shared catalogue",
    description: 'Only active Books can become homework.',
    success: { status: 200, description: 'One page, in the order of `sort`.', schema: bookPageSchema },
    mayBeStale: true,
    errors: [400],
  })
  listUsableBooks(
    @Caller() caller: CareProviderPrincipal,
    @Query({ schema: bookQuery }) query: BookQuery,
  ): Promise<Page<BookView>> {
    return this.books.list(caller, query);
  }

  @Get(':id')
  @Operation({
    summary: "Read a Book of the caller's Clinic or of the shared catalogue",
    success: { status: 200, description: 'The Book.', schema: bookSchema },
    errors: [400, 404],
  })
  getUsableBook(
    @Caller() caller: CareProviderPrincipal,
    @Param('id', { schema: idParam }) id: number,
  ): Promise<BookView> {
    return this.books.get(caller, id);
  }
}
