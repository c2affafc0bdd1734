namespace Weir;

/// <summary>What <c>MapWeirDashboard</c> serves. Read when the application starts.</summary>
public sealed class WeirDashboardOptions
{
    /// <summary>What the application is called in what is shown. Default <c>null</c>: the name of the host environment.</summary>
    public string? Title { get; set; }

    /// <summary>How many event streams are served at once: 1 to 1,000, default 20. Beyond it the answer is 503, with the time after which to ask again.</summary>
    public int Viewers { get; set; } = 20;

    /// <summary>
    /// The name of the policy that says who may act: pause, resume, drain and reload a pool, replace and kill a worker. Default <c>null</c>: none may, and the addresses of actions do not exist. It is asked in addition to the policy of the
    /// endpoints. The application does not start without a policy of this name (WEIR3002).
    /// </summary>
    public string? ActionPolicy { get; set; }

    /// <exception cref="InvalidOperationException">An option is out of its range (WEIR3002).</exception>
    internal void Validate()
    {
        if (ActionPolicy is "")
        {
            throw new InvalidOperationException($"ActionPolicy of MapWeirDashboard is empty; name a policy, or set it to null so that none may act. See {WeirCodes.InvalidOptions}.");
        }

        if (Viewers is < 1 or > 1_000)
        {
            throw new InvalidOperationException($"Viewers of MapWeirDashboard is {Viewers}; set it to 1 to 1,000. See {WeirCodes.InvalidOptions}.");
        }
    }
}
