using System.ComponentModel.DataAnnotations;

namespace Weir.Jobs.Tests.Schedules;

/// <summary>What the tests of schedules declare.</summary>
[Service]
public sealed class Nightly
{
    [Job]
    public void Clean()
    {
    }

    [Job("bill", Key = nameof(tenant))]
    public void Bill(string tenant, [Range(1, 12)] int month = 1)
    {
    }

    [Job]
    public void Merge(string from, [Range(1, 12)] int first, [Range(1, 12)] int last, byte[]? mark = null)
    {
    }
}
