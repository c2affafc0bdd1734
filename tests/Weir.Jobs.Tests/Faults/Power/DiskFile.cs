namespace Weir.Jobs.Tests.Faults.Power;

/// <summary>A file, whether it has a name or not: what of it is on the disk, and what was done with it since.</summary>
internal sealed class DiskFile
{
    private const int SectorSize = 512;
    private const int PageSize = 4096;

    // What one sync after the other has not covered: as much as a process writes between two of them.
    private readonly List<(int Number, DiskEvent Event)> _pending = [];
    private byte[] _content = [];
    private long _length;

    /// <summary>How many writes and truncations may be lost.</summary>
    public int Pending => _pending.Count;

    public void Add(int number, DiskEvent happened) => _pending.Add((number, happened));

    /// <summary>What happened before that number is on the disk.</summary>
    public void Sync(int covers)
    {
        var count = _pending.TakeWhile(one => one.Number < covers).Count();
        foreach (var (_, happened) in _pending.Take(count))
        {
            Apply(ref _content, ref _length, happened);
        }

        _pending.RemoveRange(0, count);
    }

    /// <summary>The file as the disk may have it after a power cut.</summary>
    public byte[] Cut(Loss loss, Random random)
    {
        // Room for all of it, so that it is copied once.
        var content = new byte[Math.Max(_length, _pending.Select(static one => one.Event.Offset + one.Event.Bytes.Length).DefaultIfEmpty().Max())];
        var length = _length;
        _content.AsSpan(0, (int)_length).CopyTo(content);
        var reached = random.Next(_pending.Count + 1);
        var share = random.Next(4) switch { 0 => 0.1, 1 => 0.9, _ => 0.5 };
        switch (loss)
        {
            case Loss.Nothing:
                _pending.ForEach(one => Apply(ref content, ref length, one.Event));
                break;
            case Loss.Everything:
                break;
            case Loss.Later:
                _pending[..reached].ForEach(one => Apply(ref content, ref length, one.Event));
                break;
            case Loss.Calls:
                _pending.Where(_ => random.NextDouble() < share).ToList().ForEach(one => Apply(ref content, ref length, one.Event));
                break;
            case Loss.Sectors:
                CutUnits(SectorSize, share, random, ref content, ref length);
                break;
            case Loss.Pages:
                CutUnits(PageSize, share, random, ref content, ref length);
                break;
            case Loss.Torn:
                // In order up to a write that stops at the end of a sector.
                _pending[..reached].ForEach(one => Apply(ref content, ref length, one.Event));
                if (reached < _pending.Count && _pending[reached].Event is { Call: DiskCall.Write } torn)
                {
                    var end = (torn.Offset + random.Next(torn.Bytes.Length)) / SectorSize * SectorSize;
                    Apply(ref content, ref length, torn with { Bytes = torn.Bytes[..(int)Math.Max(end - torn.Offset, 0)] });
                }

                break;
        }

        if (loss is not (Loss.Nothing or Loss.Everything) && random.Next(4) == 0)
        {
            Grow(random, ref content, ref length);
        }

        return content[..(int)length];
    }

    // Each part of the file on its own: of what was written there, in order, the disk has as much as it has. Whatever the order in which parts reach the disk, this is what can be there.
    private void CutUnits(int size, double share, Random random, ref byte[] content, ref long length)
    {
        var counts = new Dictionary<long, int>();
        foreach (var (unit, _) in Parts(size))
        {
            counts[unit] = counts.GetValueOrDefault(unit) + 1;
        }

        var kept = counts.ToDictionary(static one => one.Key, one => random.NextDouble() < share ? one.Value : random.Next(one.Value));
        foreach (var (unit, part) in Parts(size))
        {
            if (kept[unit]-- > 0)
            {
                Apply(ref content, ref length, part);
            }
        }
    }

    // Truncations have a place of their own.
    private IEnumerable<(long Unit, DiskEvent Part)> Parts(int size)
    {
        foreach (var (number, happened) in _pending)
        {
            if (happened.Call == DiskCall.Truncate)
            {
                yield return (-1 - number, happened);
                continue;
            }

            for (var from = 0; from < happened.Bytes.Length;)
            {
                var unit = (happened.Offset + from) / size;
                var to = (int)Math.Min(((unit + 1) * size) - happened.Offset, happened.Bytes.Length);
                yield return (unit, happened with { Offset = happened.Offset + from, Bytes = happened.Bytes[from..to] });
                from = to;
            }
        }
    }

    // A file system may have made the file larger before its new parts were written: they have zeros, or what was on the disk before.
    private void Grow(Random random, ref byte[] content, ref long length)
    {
        var most = _pending.Where(static one => one.Event.Call == DiskCall.Write).Select(static one => one.Event.Offset + one.Event.Bytes.Length).DefaultIfEmpty().Max();
        if (most > length)
        {
            var before = length;
            Resize(ref content, ref length, most);
            if (random.Next(2) == 0)
            {
                random.NextBytes(content.AsSpan((int)before, (int)(length - before)));
            }
        }
    }

    private static void Apply(ref byte[] content, ref long length, DiskEvent happened)
    {
        if (happened.Call == DiskCall.Truncate)
        {
            Resize(ref content, ref length, happened.Offset);
        }
        else if (happened.Bytes.Length > 0)
        {
            Resize(ref content, ref length, Math.Max(length, happened.Offset + happened.Bytes.Length));
            happened.Bytes.CopyTo(content.AsSpan((int)happened.Offset));
        }
    }

    private static void Resize(ref byte[] content, ref long length, long next)
    {
        if (next > content.Length)
        {
            Array.Resize(ref content, (int)Math.Max(next, content.Length * 2L));
        }

        if (next > length)
        {
            content.AsSpan((int)length, (int)(next - length)).Clear();
        }

        length = next;
    }
}
