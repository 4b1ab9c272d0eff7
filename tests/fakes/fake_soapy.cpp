/* A SoapySDR driver for tests: soapy:driver=weirfake,KEY=VALUE...
 *   format=CS8|CU8|CS16|CF32   native (CS16); scale=X its full scale
 *   stamps=no                  no timestamps
 *   drop_at=N,drop=M           at sample N, M are lost, and "overflow" is returned
 *   stall_at=N                 from sample N on nothing comes
 *   vanish_at=N,away_ms=T      at sample N the stream breaks, and there is no device for so long
 *   slow_ms=T,refuse=N         after that its stream takes so long to begin; N times it does not
 *   serials=A;B                there are those (else one without); the serial's first letter is
 *                              the highest byte of its samples
 *   after=A;B                  those, once it has vanished and is not away any more
 *   rate_is=HZ                 what the device makes of any rate
 * Sample n counts: 8 bits I = n & 255, Q = n >> 8; else 16 bits each (CF32: by 65536). */
#include <SoapySDR/Device.hpp>
#include <SoapySDR/Errors.hpp>
#include <SoapySDR/Formats.hpp>
#include <SoapySDR/Registry.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using steady = std::chrono::steady_clock;

double seconds_now()
{
    return std::chrono::duration<double>(steady::now().time_since_epoch()).count();
}

std::atomic<double> absent_until{0};
std::atomic<double> vanished{-1}; // the vanish_at of the last time
std::atomic<int> refusals{0};

class Fake : public SoapySDR::Device {
    SoapySDR::Kwargs args;
    std::atomic<double> rate{2e6}, center{100e6}, gain{0};
    std::string antenna{"A"}, stream_format;
    uint64_t sample{0};
    double begun{0};
    bool dropped{false};

    std::string text(const std::string &key, const std::string &otherwise) const
    {
        auto it = args.find(key);
        return it == args.end() ? otherwise : it->second;
    }

    double number(const std::string &key, double otherwise) const
    {
        return std::stod(text(key, std::to_string(otherwise)));
    }

    void fill(void *memory, size_t n) const
    {
        const uint32_t letter = static_cast<unsigned char>(text("serial", "").c_str()[0]);
        for (size_t i = 0; i < n; i++) {
            const uint64_t s = sample + i;
            if (stream_format == "CS16") {
                static_cast<uint32_t *>(memory)[i] =
                    letter ? letter << 24 | (s & 0xffffff) : static_cast<uint32_t>(s);
            } else if (stream_format == "CF32") {
                static_cast<float *>(memory)[2 * i] = static_cast<float>(s & 0xffff) / 65536;
                static_cast<float *>(memory)[2 * i + 1] =
                    static_cast<float>(s >> 16 & 0xffff) / 65536;
            } else {
                static_cast<uint16_t *>(memory)[i] = static_cast<uint16_t>(s);
            }
        }
    }

  public:
    explicit Fake(const SoapySDR::Kwargs &a) : args(a)
    {
        if (seconds_now() < absent_until) {
            throw std::runtime_error("it is away");
        }
    }

    std::string getDriverKey() const override
    {
        return "weirfake";
    }
    std::string getHardwareKey() const override
    {
        return "Fake";
    }
    size_t getNumChannels(const int direction) const override
    {
        return direction == SOAPY_SDR_RX ? 1 : 0;
    }

    std::string getNativeStreamFormat(const int, const size_t, double &scale) const override
    {
        const std::string format = text("format", "CS16");
        scale = number("scale", format == "CF32" ? 1 : format == "CS16" ? 32768 : 128);
        return format;
    }

    SoapySDR::Stream *setupStream(const int, const std::string &format, const std::vector<size_t> &,
                                  const SoapySDR::Kwargs &) override
    {
        stream_format = format;
        return reinterpret_cast<SoapySDR::Stream *>(this);
    }
    void closeStream(SoapySDR::Stream *) override
    {
    }
    int activateStream(SoapySDR::Stream *, const int, const long long, const size_t) override
    {
        if (vanished >= 0) {
            std::this_thread::sleep_for(
                std::chrono::duration<double, std::milli>(number("slow_ms", 0)));
            if (refusals++ < number("refuse", 0)) {
                return SOAPY_SDR_STREAM_ERROR;
            }
        }
        begun = seconds_now();
        return 0;
    }
    int deactivateStream(SoapySDR::Stream *, const int, const long long) override
    {
        return 0;
    }

    int readStream(SoapySDR::Stream *, void *const *buffers, const size_t most, int &flags,
                   long long &time_ns, const long timeout_us) override
    {
        const double at = static_cast<double>(sample);
        if (args.count("stall_at") && at >= number("stall_at", 0)) {
            std::this_thread::sleep_for(std::chrono::microseconds(timeout_us));
            return SOAPY_SDR_TIMEOUT;
        }
        if (args.count("vanish_at") && at >= number("vanish_at", 0) &&
            vanished.exchange(number("vanish_at", 0)) != number("vanish_at", 0)) {
            absent_until = seconds_now() + number("away_ms", 0) * 1e-3;
            refusals = 0;
            return SOAPY_SDR_STREAM_ERROR;
        }
        size_t n = most < 16384 ? most : 16384;
        if (args.count("drop_at") && !dropped) {
            const auto drop_at = static_cast<uint64_t>(number("drop_at", 0));
            if (sample == drop_at) {
                sample += static_cast<uint64_t>(number("drop", 0));
                dropped = true;
                return SOAPY_SDR_OVERFLOW;
            }
            n = drop_at - sample < n ? drop_at - sample : n;
        }
        const double due = begun + static_cast<double>(sample + n) / rate - seconds_now();
        if (due > 0) {
            std::this_thread::sleep_for(std::chrono::duration<double>(due));
        }
        fill(buffers[0], n);
        flags = text("stamps", "yes") == "no" ? 0 : SOAPY_SDR_HAS_TIME;
        time_ns = static_cast<long long>(1e18) +
                  static_cast<long long>(static_cast<double>(sample) * 1e9 / rate + 0.5);
        sample += n;
        return static_cast<int>(n);
    }

    void setSampleRate(const int, const size_t, const double hz) override
    {
        rate = number("rate_is", hz);
    }
    double getSampleRate(const int, const size_t) const override
    {
        return rate;
    }
    SoapySDR::RangeList getSampleRateRange(const int, const size_t) const override
    {
        return {SoapySDR::Range(250e3, 250e3), SoapySDR::Range(1e6, 40e6)};
    }

    void setFrequency(const int, const size_t, const double hz, const SoapySDR::Kwargs &) override
    {
        center = hz;
    }
    double getFrequency(const int, const size_t) const override
    {
        return center;
    }
    SoapySDR::RangeList getFrequencyRange(const int, const size_t) const override
    {
        return {SoapySDR::Range(1e6, 6e9)};
    }

    void setGain(const int, const size_t, const double db) override
    {
        gain = db;
    }
    double getGain(const int, const size_t) const override { return gain; }
    SoapySDR::Range getGainRange(const int, const size_t) const override
    {
        return SoapySDR::Range(0, 40);
    }

    std::vector<std::string> listAntennas(const int, const size_t) const override
    {
        return {"A", "B"};
    }
    void setAntenna(const int, const size_t, const std::string &name) override
    {
        antenna = name;
    }

    SoapySDR::ArgInfoList getSettingInfo() const override
    {
        SoapySDR::ArgInfo info;
        info.key = "biastee";
        return {info};
    }
    void writeSetting(const std::string &key, const std::string &value) override
    {
        if (value != "true" && value != "false") {
            throw std::runtime_error(key + " is true or false");
        }
    }
};

SoapySDR::KwargsList find(const SoapySDR::Kwargs &args)
{
    auto it = args.find("driver");
    if ((it != args.end() && it->second != "weirfake") || seconds_now() < absent_until) {
        return {};
    }
    SoapySDR::Kwargs found = args;
    found["driver"] = "weirfake";
    found["label"] = "a fake radio";
    const bool is_after = args.count("vanish_at") && args.count("after") &&
                          vanished == std::stod(args.at("vanish_at"));
    const std::string key = is_after ? "after" : "serials";
    if (!args.count(key)) {
        return {found};
    }
    SoapySDR::KwargsList list;
    std::istringstream serials(args.at(key));
    for (std::string serial; std::getline(serials, serial, ';');) {
        if (!args.count("serial") || args.at("serial") == serial) {
            found["serial"] = serial;
            list.push_back(found);
        }
    }
    return list;
}

SoapySDR::Device *make(const SoapySDR::Kwargs &args)
{
    return new Fake(args);
}

const SoapySDR::Registry registration("weirfake", &find, &make, SOAPY_SDR_ABI_VERSION);

} // namespace
