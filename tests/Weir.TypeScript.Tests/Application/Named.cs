using System.Text.Json.Serialization;

namespace Weir.TypeScript.Tests.Application.Named;

public sealed record Promise(int X);

public sealed record Uint8Array(int X);

public sealed record Date(int X);

public sealed record Map(int X);

public sealed record Object(int X);

public sealed record Error(int X);

public sealed record Client(int X);

public sealed record IdleTimer(int X);

public sealed record WeirConnection(int X);

public sealed record NamedTypes(int X);

public sealed record Function(int X);

public sealed record Symbol(int X);

/// <summary>Names of every form, two for one value, and values that no number of JavaScript holds.</summary>
public enum Tone : ulong
{
    [JsonStringEnumMemberName("a \"quoted\" \\ name,\u2028 with 'all'")]
    Quoted,
    constructor,
    __proto__,
    @default,
    Default2 = @default,
    toString = ulong.MaxValue,
    ünïcode = 9_007_199_254_740_993,
}

public enum Nothing : long
{
}
