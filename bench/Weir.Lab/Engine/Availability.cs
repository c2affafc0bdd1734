namespace Weir.Lab.Engine;

/// <summary>Whether a contender can run here, and if not, what would help.</summary>
internal abstract record Availability
{
    /// <summary>It can run.</summary>
    public static Availability Present { get; } = new Ready();

    /// <summary>Something must be installed first.</summary>
    public static Availability Missing(string install) => new NotInstalled(install);

    /// <summary>Weir cannot do this yet.</summary>
    public static Availability Later(string why) => new NotYet(why);

    internal sealed record Ready : Availability;

    internal sealed record NotInstalled(string Install) : Availability;

    internal sealed record NotYet(string Why) : Availability;
}
