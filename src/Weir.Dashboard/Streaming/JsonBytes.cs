using System.Buffers;
using System.Text.Json;

namespace Weir.Dashboard.Streaming;

/// <summary>JSON in memory, in one line.</summary>
internal static class JsonBytes
{
    /// <summary>Writes it.</summary>
    public static ReadOnlyMemory<byte> Of(Action<Utf8JsonWriter> write)
    {
        var bytes = new ArrayBufferWriter<byte>(1024);
        using (var json = new Utf8JsonWriter(bytes))
        {
            write(json);
        }

        return bytes.WrittenMemory;
    }
}
