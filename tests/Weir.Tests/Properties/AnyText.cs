using System.Text;
using FsCheck;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Properties;

/// <summary>Any text: of any UTF-16 units, halves of pairs among them, short or longer than what is sent of it.</summary>
/// <param name="Start">How it begins.</param>
/// <param name="Units">What follows.</param>
/// <param name="Times">How often, a few hundred times at most; or how it is moved, so that what follows lies where names are cut.</param>
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

    // Pairs are rare among all units, and what text has one half of is rarer.
    private static string Of(ushort unit) => (unit % 16) switch
    {
        0 => "\ud83d\ude00",
        1 => "\ud83d",
        2 => "\ude00",
        _ => ((char)unit).ToString(),
    };

    /// <summary>What arrives of it where at most so many units are sent: no half of a pair at the cut, and no other half either.</summary>
    public string Arrived(int most = int.MaxValue)
    {
        var text = Value.Length <= most ? Value : char.IsHighSurrogate(Value[most - 1]) ? Value[..(most - 1)] : Value[..most];
        return Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(text));
    }

    /// <summary>What is read of it where a law does not hold: both its ends.</summary>
    public override string ToString() =>
        $"{Value.Length} units: {Escaped(Value.Take(40))}{(Value.Length > 140 ? " … " : "")}{Escaped(Value.Skip(Math.Max(40, Value.Length - 100)))}";

    private static string Escaped(IEnumerable<char> units) =>
        string.Concat(units.Select(static unit => unit is >= ' ' and <= '~' ? unit.ToString() : $"\\u{(int)unit:x4}"));
}
