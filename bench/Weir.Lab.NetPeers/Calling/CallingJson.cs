using System.Text.Json.Serialization;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.NetPeers.Calling;

/// <summary>What the framework's clients read, by the framework's own generator.</summary>
[JsonSourceGenerationOptions(System.Text.Json.JsonSerializerDefaults.Web)]
[JsonSerializable(typeof(Echo))]
[JsonSerializable(typeof(Sample))]
[JsonSerializable(typeof(List<Sample>))]
[JsonSerializable(typeof(SentSample))]
[JsonSerializable(typeof(List<SentSample>))]
internal sealed partial class CallingJson : JsonSerializerContext;
