using Weir.Lab.Contenders.BareHandler;
using Weir.Lab.Contenders.FanOut;
using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Contenders.InMemory;
using Weir.Lab.Contenders.Isolation;
using Weir.Lab.Contenders.Listener;
using Weir.Lab.Contenders.MinimalApi;
using Weir.Lab.Contenders.Mvc;
using Weir.Lab.Contenders.OnWeir;
using Weir.Lab.Contenders.OpenLoad;
using Weir.Lab.Contenders.RawKestrel;
using Weir.Lab.Contenders.Sleepers;
using Weir.Lab.Contenders.Stalls;

namespace Weir.Lab.Contenders;

/// <summary>What <c>lab contender NAME</c> can be: the contenders that are part of the lab and need a runtime of their own.</summary>
internal static class ContenderPrograms
{
    private static readonly Dictionary<string, Func<ContenderProgram>> ByName = new()
    {
        ["bare"] = () => new BareProgram(),
        ["canned"] = () => new CannedProgram(),
        ["fanout-client"] = () => new FanOutClient(),
        ["fanout-endless"] = () => new EndlessFanOut(),
        ["isolation"] = () => new IsolationProgram(),
        ["listener"] = () => new ListenerProgram(),
        ["load"] = () => new OpenLoadProgram(),
        ["minimal"] = () => new MinimalProgram(),
        ["mvc"] = () => new MvcProgram(),
        ["raw"] = () => new RawProgram(),
        ["slow-server"] = () => new SlowServer(),
        ["stalling-server"] = () => new StallingServer(),
        ["weir-controls"] = () => new WeirControlsProgram(),
        ["weir-hung"] = () => new WeirHungProgram(),
        ["weir-kinds"] = () => new WeirKindsProgram(),
        ["weir-model"] = () => new WeirModelProgram(),
        ["weir-pool"] = () => new WeirPoolProgram(),
        ["weir"] = () => new WeirWebProgram(),
        ["sleepers"] = () => new SleepersProgram(),
    };

    public static ContenderProgram Create(string name) => ByName.TryGetValue(name, out var create)
        ? create()
        : throw new ArgumentException($"There is no contender '{name}'; there are {string.Join(", ", ByName.Keys)}.");
}
