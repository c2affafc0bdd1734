using System.Diagnostics;
using System.Globalization;
using System.Text.Json.Serialization;

namespace Weir.IntegrationTests.Services;

/// <summary>Whose text is null unless the caller sends one, although its annotation says otherwise: entities are written so.</summary>
public class Entity
{
    public string Name { get; set; } = null!;

    public List<string> Tags { get; set; } = null!;

    public Entity[] Children { get; set; } = null!;

    public int Number { get; set; }
}

public sealed record Noted([property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string Note, int Number);

#nullable disable
/// <summary>From code without nullable annotations.</summary>
public class Unannotated
{
    public string Name { get; set; }

    public List<string> Tags { get; set; }

    public int Number { get; set; }
}

/// <summary>The same of operations.</summary>
public abstract class UnannotatedProbe
{
    public string Text(string text) => text;

    public string[] Texts(string[] texts) => texts;

    public Unannotated Echo(Unannotated value) => value;

    public byte[] Bytes(byte[] data) => data;

    public Task<Unannotated> Nothing() => Task.FromResult<Unannotated>(null);
}
#nullable restore

/// <summary>What a response says beyond its value, and what null becomes; the same code runs inline, on the lane and in a worker.</summary>
public abstract class SurfaceProbe
{
    public string Chosen(OperationContext context, int status, string name, string value)
    {
        context.StatusCode = status;
        context.Headers[name] = value;
        return "chosen";
    }

    public void ChosenWithoutValue(OperationContext context)
    {
        context.StatusCode = 202;
        context.Headers["X-A"] = "b";
    }

    /// <summary>What is around the call: its cultures, an item, baggage of its trace, and the span above its own.</summary>
    public string[] Around(OperationContext context) =>
    [
        CultureInfo.CurrentCulture.Name,
        CultureInfo.CurrentUICulture.Name,
        context.Items.TryGetValue("tenant", out var tenant) ? $"{tenant}" : "",
        context.Items.Count == 0 ? "" : string.Join(' ', context.Items.Keys),
        Activity.Current?.GetBaggageItem("user") ?? "",
        Activity.Current?.ParentSpanId.ToHexString() ?? "",
        Activity.Current?.TraceId.ToHexString() ?? "",
    ];

    public string Ids(int[]? ids = null) => ids is null ? "null" : $"[{ids.Length}]";

    public string Names(List<string>? names) => names is null ? "null" : $"[{names.Count}]";

    public string Needed(int[] ids) => $"[{ids.Length}]";

    public string Size(byte[]? data) => data is null ? "null" : $"[{data.Length}]";

    public string Length(ReadOnlyMemory<byte>? data = null) => data is null ? "null" : $"[{data.Value.Length}]";

    public Entity Echo(Entity value) => value;

    public Entity Make() => new();

    public string Nothing() => null!;

    public byte[] NoBytes() => null!;

    public Noted Note(int number) => new(null!, number);

    public string[] Some() => ["a", null!];
}

/// <summary>The same of streams.</summary>
public abstract class SurfaceStream
{
    [Stream]
    public IEnumerable<string> Items(OperationContext context, int count)
    {
        context.StatusCode = 206;
        context.Headers["X-A"] = "b";
        for (var i = 0; i < count; i++)
        {
            yield return $"{i}";
        }

        // The response has begun: too late, wherever it runs.
        context.Headers["X-Late"] = "c";
    }
}

[Service]
public sealed class InlineSurface : SurfaceProbe
{
    public async IAsyncEnumerable<string> Items(OperationContext context, int count)
    {
        context.StatusCode = 206;
        context.Headers["X-A"] = "b";
        for (var i = 0; i < count; i++)
        {
            await Task.Yield();
            yield return $"{i}";
        }

        context.Headers["X-Late"] = "c";
    }
}

[Service, Blocking]
public sealed class LaneSurface : SurfaceProbe;

[Service, Isolated("probe")]
public sealed class IsolatedSurface : SurfaceProbe;

[Service]
public sealed class LaneSurfaceStream : SurfaceStream;

[Service, Isolated("probe")]
public sealed class IsolatedSurfaceStream : SurfaceStream;

[Service]
public sealed class InlineUnannotated : UnannotatedProbe;

[Service, Isolated("probe")]
public sealed class IsolatedUnannotated : UnannotatedProbe;
