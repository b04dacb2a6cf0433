import { useState } from 'preact/hooks';
import { useText } from '../text/text.js';
import { Button, Card } from '../ui/index.js';
import { ErasureDialog } from './erasure-dialog.js';
import { erasureText } from './erasure.text.js';

/** Opens the dialog for the erasure of a Client. Nothing is read before, because few visits of the page need it. */
export function ClientErasure(client: { id: number; name: string; timeZone: string | null }) {
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
