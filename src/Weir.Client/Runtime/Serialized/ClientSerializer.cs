using System.ComponentModel;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Weir.Runtime;

/// <summary>The serializer of one assembly that has no generated readers, with the rules of a server's JSON. Immutable; may be used concurrently.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ClientSerializer
{
    private readonly Lazy<JsonSerializerOptions> _options;

    /// <summary>Describes the serializer.</summary>
    /// <param name="enums">A converter for each enum that the contracts exchange.</param>
    public ClientSerializer(params JsonConverter[] enums) => _options = new Lazy<JsonSerializerOptions>(() => Create(enums));

    internal JsonSerializerOptions Options => _options.Value;

    private static JsonSerializerOptions Create(JsonConverter[] enums)
    {
        var options = new JsonSerializerOptions(JsonSerializerDefaults.Web)
        {
            NumberHandling = JsonNumberHandling.Strict,
            Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
            MaxDepth = 64,
            TypeInfoResolver = ClientJson.Resolver,
        };
        foreach (var converter in enums)
        {
            options.Converters.Add(converter);
        }

        return options;
    }
}
