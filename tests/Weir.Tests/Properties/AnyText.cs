using System.Text;
using FsCheck;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Properties;

/// <summary>Any text of any UTF-16 units, including unpaired surrogates, shorter or longer than the maximum that is sent.</summary>
/// <param name="Start">The beginning of the text.</param>
/// <param name="Units">The units that follow.</param>
/// <param name="Times">How often the text is repeated, at most a few hundred times; or how far it is moved, so that the units are where names are cut.</param>
internal sealed record AnyText(NonNull<string> Start, DoNotSize<ushort>[] Units, byte Times)
{
    /// <summary>The text.</summary>
    public string Value { get; } = (Times % 8) switch
    {
        0 => string.Concat(Enumerable.Repeat(Start.Item + Following(Units), 1 + Times)),
        1 => new string('x', ErrorPayload.MostName - 1 - (Times / 8)) + Following(Units),
        2 => new string('x', (ErrorPayload.MostName / 4) - 1 - (Times / 8)) + Following(Units),
        _ => Start.Item + Following(Units),
    };

    private static string Following(DoNotSize<ushort>[] units) => string.Concat(units.Select(static unit => Of(unit.Item)));

    // Surrogate pairs are rare among random units, and unpaired surrogates are rare in real text.
    private static string Of(ushort unit) => (unit % 16) switch
    {
        0 => "\ud83d\ude00",
        1 => "\ud83d",
        2 => "\ude00",
        _ => ((char)unit).ToString(),
    };

    /// <summary>The text that arrives if at most this many units are sent: without an unpaired surrogate at the cut or anywhere else.</summary>
    public string Arrived(int most = int.MaxValue)
    {
        var text = Value.Length <= most ? Value : char.IsHighSurrogate(Value[most - 1]) ? Value[..(most - 1)] : Value[..most];
        return Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(text));
    }

    /// <summary>The text that is shown if a law does not hold: the beginning and the end.</summary>
    public override string ToString() =>
        $"{Value.Length} units: {Escaped(Value.Take(40))}{(Value.Length > 140 ? " … " : "")}{Escaped(Value.Skip(Math.Max(40, Value.Length - 100)))}";

    private static string Escaped(IEnumerable<char> units) =>
        string.Concat(units.Select(static unit => unit is >= ' ' and <= '~' ? unit.ToString() : $"\\u{(int)unit:x4}"));
}
