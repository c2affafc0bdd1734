using FsCheck;
using FsCheck.Fluent;

namespace Weir.Tests.Properties;

/// <summary>What holds for any value of a type. Who breaks one reads the smallest case that does, and the seed it comes of.</summary>
internal static class Law
{
    /// <summary>Tries a law with values that grow, always the same ones; a value for which it throws is made smaller as long as it still throws.</summary>
    /// <param name="law">Throws where it does not hold.</param>
    /// <param name="values">How many.</param>
    /// <param name="seed">Other values, for who looks for more.</param>
    public static void Holds<T>(Action<T> law, int values, ulong seed = 20261122)
    {
        // The second half of a seed is odd.
        var start = new Replay(new Rnd(seed, 0x9e37_79b9_7f4a_7c15), Microsoft.FSharp.Core.FSharpOption<int>.None);
        var config = Config.QuickThrowOnFailure.WithMaxTest(values).WithReplay(Microsoft.FSharp.Core.FSharpOption<Replay>.Some(start)).WithQuietOnSuccess(true);
        Check.One(config, Prop.ForAll(ArbMap.Default.ArbFor<T>(), law));
    }
}
