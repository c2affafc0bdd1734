namespace Weir;

/// <summary>What <c>MapWeirDashboard</c> serves. Read when the application starts.</summary>
public sealed class WeirDashboardOptions
{
    private const string TraceIdPlace = "{traceId}";

    /// <summary>What the application is called in what is shown. Default <c>null</c>: the name of the host environment.</summary>
    public string? Title { get; set; }

    /// <summary>How many event streams are served at once: 1 to 1,000, default 20. Beyond it the answer is 503, with the time after which to ask again.</summary>
    public int Viewers { get; set; } = 20;

    /// <summary>
    /// Where a trace is looked at, for the links of the page: an absolute address of <c>http</c> or <c>https</c> with <c>{traceId}</c> in it, which stands for the 32 hexadecimal digits. Default <c>null</c>: traces are shown as text.
    /// </summary>
    public string? TraceUrl { get; set; }

    /// <summary>
    /// Whether the calls that run and wait name their callers: the user's name, and the address from which the request came. Default <c>false</c>: who may see what an application does need not see who uses it. It costs a text for each
    /// request while it is on.
    /// </summary>
    public bool ShowCallers { get; set; }

    /// <summary>
    /// The name of the policy that says who may act: cancel a call, pause, resume, drain and reload a pool, replace and kill a worker. Default <c>null</c>: none may, and the addresses of actions do not exist. It is asked in addition to the policy of the
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

        if (TraceUrl is not null && !(TraceUrl.Contains(TraceIdPlace, StringComparison.Ordinal) && Uri.TryCreate(TraceUrl.Replace(TraceIdPlace, "0", StringComparison.Ordinal), UriKind.Absolute, out var address) && address.Scheme is "http" or "https"))
        {
            throw new InvalidOperationException($"TraceUrl of MapWeirDashboard is '{TraceUrl}'; set it to an absolute address such as https://traces.example/trace/{TraceIdPlace}. See {WeirCodes.InvalidOptions}.");
        }

        if (Viewers is < 1 or > 1_000)
        {
            throw new InvalidOperationException($"Viewers of MapWeirDashboard is {Viewers}; set it to 1 to 1,000. See {WeirCodes.InvalidOptions}.");
        }
    }
}
