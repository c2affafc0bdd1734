using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Weir.Cli.Terminal;

/// <summary>A report as JSON.</summary>
internal static class JsonText
{
    /// <summary>One object in a line.</summary>
    /// <param name="write">Writes its properties.</param>
    public static string Of(Action<Utf8JsonWriter> write)
    {
        // Bounded by the number of properties of a report.
        using var buffer = new MemoryStream();
        using (var json = new Utf8JsonWriter(buffer, new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping }))
        {
            json.WriteStartObject();
            write(json);
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(buffer.ToArray());
    }
}
