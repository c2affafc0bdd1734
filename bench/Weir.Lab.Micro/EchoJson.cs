using System.Text.Json;
using System.Text.Json.Serialization;

namespace Weir.Lab.Micro;

/// <summary>What the framework's own generator makes of the object.</summary>
[JsonSourceGenerationOptions(JsonSerializerDefaults.Web)]
[JsonSerializable(typeof(Echo))]
internal sealed partial class EchoJson : JsonSerializerContext;
