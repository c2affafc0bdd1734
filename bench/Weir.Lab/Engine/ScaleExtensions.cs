namespace Weir.Lab.Engine;

/// <summary>What depends on the scale.</summary>
internal static class ScaleExtensions
{
    /// <summary>The value for this scale.</summary>
    public static T Pick<T>(this Scale scale, T tiny, T quick, T full) => scale switch
    {
        Scale.Tiny => tiny,
        Scale.Quick => quick,
        _ => full,
    };

    /// <summary>How often each contender is measured, unless a case says otherwise.</summary>
    public static int Rounds(this Scale scale) => scale.Pick(1, 1, 5);
}
