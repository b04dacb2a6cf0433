import { useState } from 'preact/hooks';
import { useText } from '../text/text.js';
import { Button, Card } from '../ui/index.js';
import { ErasureDialog } from './erasure-dialog.js';
import { erasureText } from './erasure.text.js';

/**
 * A card that opens the dialog for the erasure of a Client. Data is loaded only in the dialog, because few visits to
 * the page need it.
 */
export function ClientErasureCard(client: { id: number; name: string }) {
  const text = useText(erasureText);
  const [isOpen, setOpen] = useState(false);
  return (
    <Card title={text.title}>
      <p class="small quiet">{text.intro}</p>
      <div class="row">
        <Button onClick={() => setOpen(true)}>{text.open}</Button>
      </div>
      {isOpen && <ErasureDialog {...client} onClose={() => setOpen(false)} />}
    </Card>
  );
}
