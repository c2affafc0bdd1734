using System.Runtime.CompilerServices;
using Weir;

namespace Showcase;

/// <summary>What binding cannot know: a number that is well formed but makes no sense here.</summary>
internal static class Require
{
    internal static void NotNegative(int value, [CallerArgumentExpression(nameof(value))] string name = "")
    {
        if (value < 0)
        {
            throw new OperationStatusException(400, $"{name} is {value}; give 0 or more.");
        }
    }
}
