using System.Text.Json.Serialization;

namespace Weir.Lab.Contenders.Work;

/// <summary>The operation of document 004's comparison.</summary>
public sealed record Echo([property: JsonPropertyName("name")] string Name, [property: JsonPropertyName("sum")] int Sum)
{
    public static Echo Of(string name, int x, int y, Fruit e)
    {
        _ = e;
        return new Echo(name, x + y);
    }
}
