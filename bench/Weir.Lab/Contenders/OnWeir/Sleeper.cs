using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Document 001's methods as operations: one awaits, one blocks on the lane.</summary>
[Service("sleep")]
public sealed class Sleeper
{
    [Get]
    public Task<string> Aio(int ms) => Sleeping.AioAsync(ms);

    [Get, Blocking]
    public string Bio(int ms) => Sleeping.Bio(ms);
}
