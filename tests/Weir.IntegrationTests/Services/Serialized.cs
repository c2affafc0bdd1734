using System.Collections.Immutable;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using Weir.IntegrationTests.Services;

[assembly: Weir.WeirJson(typeof(SerializedJson))]

namespace Weir.IntegrationTests.Services;

[JsonSerializable(typeof(Dictionary<string, int>))]
[JsonSerializable(typeof(Dictionary<string, int[]>))]
[JsonSerializable(typeof(Dictionary<string, double>))]
[JsonSerializable(typeof(Half))]
[JsonSerializable(typeof(JsonElement))]
[JsonSerializable(typeof(JsonDocument))]
[JsonSerializable(typeof(object))]
[JsonSerializable(typeof(Stored))]
[JsonSerializable(typeof(Shape))]
[JsonSerializable(typeof(Box))]
[JsonSerializable(typeof(INamed))]
[JsonSerializable(typeof(Parcel))]
internal sealed partial class SerializedJson : JsonSerializerContext;

/// <summary>Its names are those of the wire.</summary>
public enum Colour
{
    Red,
    [JsonStringEnumMemberName("dark-blue")]
    DarkBlue,
}

/// <summary>What only the serializer holds, in one object.</summary>
public sealed record Parcel(string Name, Dictionary<string, int> Sizes, Uri? Home = null)
{
    /// <summary>A member whose default holds.</summary>
    public HashSet<Colour> Colours { get; set; } = [Colour.Red];
}

/// <summary>A member of each kind.</summary>
public sealed class Chest
{
    public Version? Version { get; set; }

    public Half Half { get; set; }

    public Int128 Large { get; set; }

    public JsonElement Element { get; set; }

    public JsonNode? Node { get; set; }

    public object? Any { get; set; }

    public ImmutableArray<int> Array { get; set; } = [];

    public IReadOnlyDictionary<Colour, Guid>? ByColour { get; set; }

    public Shape? Shape { get; set; }

    [JsonNumberHandling(JsonNumberHandling.AllowReadingFromString | JsonNumberHandling.WriteAsString)]
    public long Number { get; set; }

    [JsonInclude]
    internal int Hidden { get; set; }

    public int Doubled
    {
        set => Hidden = 2 * value;
    }

    [JsonConverter(typeof(BackwardsConverter))]
    public string Backwards { get; set; } = "";

    [JsonExtensionData]
    public Dictionary<string, JsonElement>? More { get; set; }
}

[JsonDerivedType(typeof(Circle), "circle")]
[JsonDerivedType(typeof(Square), "square")]
public abstract record Shape;

public sealed record Circle(double Radius) : Shape;

public sealed record Square(double Side, TimeOnly? At = null) : Shape;

/// <summary>A constructor that refuses.</summary>
public sealed record Even(int Value, Dictionary<string, int>? More = null)
{
    public int Value { get; } = Value % 2 == 0 ? Value : throw new ArgumentException($"{Value} is odd.");
}

public sealed class BackwardsConverter : JsonConverter<string>
{
    public override string Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) => new([.. reader.GetString()!.Reverse()]);

    public override void Write(Utf8JsonWriter writer, string value, JsonSerializerOptions options) => writer.WriteStringValue(new string([.. value.Reverse()]));
}

/// <summary>What generated code reads and writes.</summary>
public sealed record Ticket(int TicketNumber, Colour Colour = Colour.DarkBlue, string? FirstNote = null);

/// <summary>Types that only the serializer reads and writes, in every position and placement, and one that it need not.</summary>
[Service]
public sealed class Serialized
{
    public Dictionary<string, int> Echo(Dictionary<string, int> sizes) => sizes;

    public Dictionary<string, int>? EchoOrNull(Dictionary<string, int>? sizes, int plus) => sizes?.ToDictionary(static one => one.Key, one => one.Value + plus);

    public int Two(Dictionary<string, int> sizes, Dictionary<string, int[]> other, int plus) => sizes.Count + other.Count + plus;

    public Parcel Pack(Parcel parcel) => parcel;

    public Chest Open(Chest chest) => chest;

    public Even Halve(Even even) => even;

    public List<Shape> Shapes(List<Shape> shapes) => shapes;

    public async IAsyncEnumerable<Dictionary<string, int>> Items(IAsyncEnumerable<Dictionary<string, int>> items)
    {
        await foreach (var item in items)
        {
            yield return item;
        }
    }

    public Ticket Issue(Ticket ticket) => ticket;

    [Isolated("Serialized")]
    public Ticket IssueIsolated(Ticket ticket) => ticket;

    [Isolated("Serialized")]
    public async IAsyncEnumerable<Ticket> TicketsIsolated(IAsyncEnumerable<Ticket> tickets)
    {
        await foreach (var ticket in tickets)
        {
            yield return ticket;
        }
    }

    [Isolated("Serialized")]
    public Parcel PackIsolated(Parcel parcel) => parcel;

    [Isolated("Serialized")]
    public Dictionary<string, int>? EchoIsolated(Dictionary<string, int>? sizes, int plus) => EchoOrNull(sizes, plus);

    [Isolated("Serialized")]
    public async IAsyncEnumerable<Dictionary<string, int[]>> ItemsIsolated(IAsyncEnumerable<Dictionary<string, int>> items)
    {
        await foreach (var item in items)
        {
            yield return item.ToDictionary(static one => one.Key, static one => new[] { one.Value });
        }
    }
}
