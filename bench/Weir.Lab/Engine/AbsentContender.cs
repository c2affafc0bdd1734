namespace Weir.Lab.Engine;

/// <summary>A contender that is only named: not installed here, or not possible yet.</summary>
internal sealed class AbsentContender(string name, Availability availability) : Contender(name)
{
    public override Availability Availability => availability;

    public override Task<Round> RunAsync(CancellationToken cancellation) =>
        throw new InvalidOperationException($"{Name} is not available and cannot run.");
}
