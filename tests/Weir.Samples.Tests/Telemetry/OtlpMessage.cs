using System.Text;

namespace Weir.Samples.Tests.Telemetry;

/// <summary>One message in the wire format of Protocol Buffers: the fields that are messages, text or bytes, by their number.</summary>
internal sealed class OtlpMessage(ReadOnlyMemory<byte> bytes)
{
    /// <summary>The name in the resource, field 1, of this message.</summary>
    public string ServiceName => Messages(1).Single().Attributes(1)["service.name"];

    public IEnumerable<OtlpMessage> Messages(int field) => Fields().Where(one => one.Field == field).Select(static one => new OtlpMessage(one.Value));

    public string Text(int field) => Encoding.UTF8.GetString(Value(field).Span);

    public string Hex(int field) => Convert.ToHexStringLower(Value(field).Span);

    /// <summary>Those whose value is text.</summary>
    public IReadOnlyDictionary<string, string> Attributes(int field) =>
        Messages(field).ToDictionary(static pair => pair.Text(1), static pair => pair.Messages(2).Single().Text(1));

    // Absent is empty.
    private ReadOnlyMemory<byte> Value(int field) => Fields().LastOrDefault(one => one.Field == field).Value;

    private IEnumerable<(int Field, ReadOnlyMemory<byte> Value)> Fields()
    {
        for (var at = 0; at < bytes.Length;)
        {
            var key = Number(ref at);
            var length = (key & 7) switch
            {
                0 => 0,
                1 => 8,
                2 => (int)Number(ref at),
                5 => 4,
                var type => throw new FormatException($"wire type {type}"),
            };
            if ((key & 7) == 0)
            {
                Number(ref at);
            }
            else if ((key & 7) == 2)
            {
                yield return ((int)(key >> 3), bytes.Slice(at, length));
            }

            at += length;
        }
    }

    private ulong Number(ref int at)
    {
        for (var (value, shift) = (0UL, 0); ; shift += 7)
        {
            var part = bytes.Span[at++];
            value |= (ulong)(part & 0x7F) << shift;
            if (part < 0x80)
            {
                return value;
            }
        }
    }
}
