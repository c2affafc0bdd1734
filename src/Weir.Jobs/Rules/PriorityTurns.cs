namespace Weir.Jobs.Rules;

/// <summary>Which priority has the next start: high, normal and low by weights 8 : 4 : 1. A priority without jobs leaves its turns to the others, whose weights stay as they are.</summary>
internal static class PriorityTurns
{
    /// <summary>How many turns there are before they begin again.</summary>
    public const int Count = 13;

    // 8 of high, 4 of normal, 1 of low priority, those of one as far apart as they can be.
    private static ReadOnlySpan<sbyte> Order => [1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, -1];

    /// <summary>The first turn, from this one on, of a priority that may have jobs.</summary>
    /// <param name="turn">0 or more.</param>
    /// <param name="mayHave">Whether low, normal and high priority may have jobs.</param>
    /// <returns>The priority, and the turn after it; <c>null</c> where none may have jobs.</returns>
    public static (JobPriority Priority, int Next)? Next(int turn, ReadOnlySpan<bool> mayHave)
    {
        for (var step = 0; step < Count; step++)
        {
            var at = (turn + step) % Count;
            if (mayHave[Order[at] + 1])
            {
                return ((JobPriority)Order[at], (at + 1) % Count);
            }
        }

        return null;
    }
}
