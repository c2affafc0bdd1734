using System.Text;
using FsCheck;

namespace Weir.Tests.Properties;

/// <summary>Any text: of any UTF-16 units, halves of pairs among them, short or longer than what is sent of it.</summary>
/// <param name="Start">How it begins.</param>
/// <param name="Units">What follows.</param>
/// <param name="Times">How often, a few hundred times at most.</param>
internal sealed record AnyText(NonNull<string> Start, DoNotSize<ushort>[] Units, byte Times)
{
    /// <summary>The text.</summary>
    public string Value { get; } = string.Concat(
        Enumerable.Repeat(Start.Item + string.Concat(Units.Select(static unit => Of(unit.Item))), Times % 16 == 0 ? 1 + Times : 1));

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
}
