using System.Buffers.Text;
using Weir.Lab.Measuring;
using Weir.Load.Measuring;

namespace Weir.Lab.Load;

/// <summary>Finds the items in a body as it arrives and how old each was: an item carries the stamp of its making as <c>"at":N</c>.</summary>
internal sealed class ItemClock
{
    private static readonly byte[] Name = "\"at\":"u8.ToArray();

    // What may be the beginning of a stamp whose end has not come.
    private readonly List<byte> _rest = [];

    public int Items { get; private set; }

    /// <summary>When the first item was here.</summary>
    public long FirstAt { get; private set; }

    public LatencyHistogram Age { get; } = new();

    /// <summary>Bytes of the body that arrived at <paramref name="now"/>.</summary>
    public void Feed(ReadOnlySpan<byte> body, long now)
    {
        if (_rest.Count > 0)
        {
            _rest.AddRange(body);
            body = _rest.ToArray();
            _rest.Clear();
        }

        while (true)
        {
            var at = body.IndexOf(Name);
            if (at < 0)
            {
                _rest.AddRange(body[^Math.Min(body.Length, Name.Length - 1)..]);
                return;
            }

            // The number is whole only if something follows it.
            var number = body[(at + Name.Length)..];
            if (!Utf8Parser.TryParse(number, out long stamp, out var digits) || digits == number.Length)
            {
                _rest.AddRange(body[at..]);
                return;
            }

            if (Items++ == 0)
                FirstAt = now;
            Age.Record((long)(Clock.MillisecondsBetween(stamp, now) * 1_000_000));
            body = number[digits..];
        }
    }
}
